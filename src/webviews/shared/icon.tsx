import type { VNode } from 'preact';

/** The SVG paths of the icons, in a 16-by-16 view box. Text always conveys an icon's meaning as well. */
const paths = {
  arrow: 'M2.500 8h11M9.500 4l4 4-4 4',
  check: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M5 8.200l2.200 2.200L11.200 6',
  cross: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M5.700 5.700l4.600 4.600M10.300 5.700l-4.600 4.600',
  pause: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M6.500 5.500v5M9.500 5.500v5',
  stop: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M3.500 12.500l9-9',
  cloud:
    'M4.800 11.500a3 3 0 0 1-.100-6A4 4 0 0 1 12.200 6.200a2.700 2.700 0 0 1-.300 5.300M8 7.500v6M5.800 11.300L8 13.500l2.200-2.200',
  list: 'M2 4l1.200 1.200L5.300 3M7.500 4H14M2 8.500l1.200 1.200 2.100-2.200M7.500 8.500H14M2.500 13h2M7.500 13H14',
  clock: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M8 4.500V8l2.500 1.500',
  question:
    'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M6 6.200a2 2 0 1 1 2.800 1.900c-.500.300-.800.600-.800 1.200M8 11.300v.200',
  running:
    'M13.800 5.100A6.500 6.500 0 0 0 2 5.800M2.200 10.900A6.500 6.500 0 0 0 14 10.200M14 2v3.300h-3.300M2 14v-3.300h3.300',
  warning: 'M8 2l6.500 11.500h-13zM8 6.500v3M8 11.500v.200',
  info: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M8 7.200v4M8 4.800v.200',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** Renders an icon that is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
