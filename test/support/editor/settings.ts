/** The themes that every page and view is looked at in. */
export type ThemeName = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

interface Theme {
  readonly id: string;
  /** What the list of themes calls it. */
  readonly label: string;
  /** The class that the workbench carries while it is on. */
  readonly className: string;
}

/** The editor's own themes, one of each kind. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  light: { id: 'Light Modern', label: 'Light Modern', className: 'vs' },
  dark: { id: 'Dark Modern', label: 'Dark Modern', className: 'vs-dark' },
  highContrast: { id: 'Default High Contrast', label: 'Dark High Contrast', className: 'hc-black' },
  highContrastLight: { id: 'Default High Contrast Light', label: 'Light High Contrast', className: 'hc-light' },
};

/** The settings that choose a theme, whatever the machine prefers. */
export function themeSettings(theme: ThemeName): Record<string, unknown> {
  return {
    'workbench.colorTheme': themes[theme].id,
    'window.autoDetectColorScheme': false,
    'window.autoDetectHighContrast': false,
  };
}

/** Keeps out of the picture what the editor would show or fetch by itself. */
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
