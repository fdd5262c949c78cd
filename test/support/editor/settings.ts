/** The themes in which all pages and views are tested. */
export type ThemeName = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

interface Theme {
  readonly id: string;
  /** Name of the theme in the editor's theme picker. */
  readonly label: string;
  /** The class of the workbench element while the theme is active. */
  readonly className: string;
}

/** The editor's built-in themes, one of each kind. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  light: { id: 'Light Modern', label: 'Light Modern', className: 'vs' },
  dark: { id: 'Dark Modern', label: 'Dark Modern', className: 'vs-dark' },
  highContrast: { id: 'Default High Contrast', label: 'Dark High Contrast', className: 'hc-black' },
  highContrastLight: { id: 'Default High Contrast Light', label: 'Light High Contrast', className: 'hc-light' },
};

/** Returns the settings that select a theme, regardless of the system's preference. */
export function themeSettings(theme: ThemeName): Record<string, unknown> {
  return {
    'workbench.colorTheme': themes[theme].id,
    'window.autoDetectColorScheme': false,
    'window.autoDetectHighContrast': false,
  };
}

/** Settings that prevent the editor from showing or fetching anything unprompted. */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'git.enabled': false,
  'task.autoDetect': 'off',
  'npm.autoDetect': 'off',
  'remote.autoForwardPorts': false,
};
