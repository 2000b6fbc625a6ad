import type { ReactNode } from 'react'

/** Every icon is drawn here, on a 16-unit square with one weight of line: no font and no package of thousands. */
const icons = {
  home: <path d="M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.8V9.5H6.2v4H3a.5.5 0 0 1-.5-.5z" />,
  runs: <path d="M2.5 4h7M5 8h8.5M2.5 12h5" />,
  flows: (
    <>
      <circle cx="3.8" cy="8" r="1.6" />
      <circle cx="12.2" cy="3.8" r="1.6" />
      <circle cx="12.2" cy="12.2" r="1.6" />
      <path d="M5.4 8h1.4c2 0 1.8-4.2 3.8-4.2M6.8 8c2 0 1.8 4.2 3.8 4.2" />
    </>
  ),
  deployments: <path d="M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.7 5.1 8 8.2l5.3-3.1M8 8.2v5.8" />,
  pools: (
    <>
      <rect x="2" y="2.5" width="12" height="4.5" rx="1" />
      <rect x="2" y="9" width="12" height="4.5" rx="1" />
      <path d="M4.5 4.75h.01M4.5 11.25h.01M7 4.75h4.5M7 11.25h4.5" />
    </>
  ),
  limits: <path d="M2.5 12a5.5 5.5 0 1 1 11 0M8 12l2.6-4.2M2.5 12h1.2M12.3 12h1.2M8 6.5v-1" />,
  automations: <path d="M9 1.8 3.5 9h4L7 14.2 12.5 7h-4z" />,
  events: <path d="M1.5 8h3L6.5 3l3 10 2-5h3" />,
  blocks: (
    <>
      <rect x="2.3" y="2.3" width="4.7" height="4.7" rx=".8" />
      <rect x="9" y="2.3" width="4.7" height="4.7" rx=".8" />
      <rect x="2.3" y="9" width="4.7" height="4.7" rx=".8" />
      <path d="M11.35 9v4.7M9 11.35h4.7" />
    </>
  ),
  variables: <path d="M5.5 2.5c-3 0-.5 5.5-3.5 5.5 3 0 .5 5.5 3.5 5.5M10.5 2.5c3 0 .5 5.5 3.5 5.5-3 0-.5 5.5-3.5 5.5M6.5 6l3 4M9.5 6l-3 4" />,
  artifacts: <path d="M4 1.8h5L12.5 5v9.2H4zM9 1.8V5h3.5M6 8h4.5M6 10.7h4.5" />,
  settings: <path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.7v3.6M6 9.7v3.6" />,
  search: <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  cross: <path d="m4 4 8 8M12 4l-8 8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  down: <path d="m4 6 4 4 4-4" />,
  up: <path d="m4 10 4-4 4 4" />,
  right: <path d="m6 4 4 4-4 4" />,
  left: <path d="m10 4-4 4 4 4" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.2" />
      <path d="M10.5 3.5v-.3a.7.7 0 0 0-.7-.7H3.2a.7.7 0 0 0-.7.7v6.6c0 .4.3.7.7.7h.3" />
    </>
  ),
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  menu: <path d="M2.5 4h11M2.5 8h11M2.5 12h11" />,
  retry: <path d="M3 8a5 5 0 1 0 1.6-3.7M4.5 1.8v2.7h2.7" />,
  trash: <path d="M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.7 6.7v4.2M9.3 6.7v4.2" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  play: <path d="M5 3.2v9.6L12.5 8z" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  download: <path d="M8 2.5v7.8M4.8 7.3 8 10.5l3.2-3.2M2.5 13.5h11" />,
  filter: <path d="M2 3.5h12L9.5 8.8v4.4l-3-1.5V8.8z" />,
  clock: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.8" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
    </>
  ),
  moon: <path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5 5.8 5.8 0 1 0 13.5 9.6Z" />,
  system: (
    <>
      <rect x="2" y="2.8" width="12" height="8" rx="1" />
      <path d="M5.5 13.5h5" />
    </>
  ),
  warning: <path d="M8 2 14.3 13H1.7zM8 6.2v3.2M8 11.3h.01" />,
  info: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.3v3.5M8 5.2h.01" />,
  link: <path d="M6.8 9.2 9.2 6.8M7.3 4.7l1.4-1.4a2.8 2.8 0 0 1 4 4l-1.4 1.4M8.7 11.3l-1.4 1.4a2.8 2.8 0 0 1-4-4l1.4-1.4" />,
  external: <path d="M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v3.2a.8.8 0 0 1-.8.8H3.3a.8.8 0 0 1-.8-.8V5.3c0-.4.4-.8.8-.8h3.2" />,
  bookmark: <path d="M4 2.5h8v11L8 10.6 4 13.5z" />,
  keyboard: (
    <>
      <rect x="1.5" y="4" width="13" height="8" rx="1" />
      <path d="M4.2 6.7h.01M6.8 6.7h.01M9.3 6.7h.01M11.8 6.7h.01M5 9.5h6" />
    </>
  ),
  worker: (
    <>
      <circle cx="8" cy="8" r="2.4" />
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  user: <path d="M8 8.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM2.8 13.5c.5-2.3 2.6-3.6 5.2-3.6s4.7 1.3 5.2 3.6" />,
  tail: <path d="M8 2.5v8M4.8 7.3 8 10.5l3.2-3.2M4 13.5h8" />,
  wrap: <path d="M2.5 4h11M2.5 8h9a2 2 0 0 1 0 4H8M9.8 10.2 8 12l1.8 1.8M2.5 12h2.5" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof icons

interface IconProps {
  readonly name: IconName
  readonly size?: number
  readonly className?: string
  /** Said aloud; without it the icon stands beside words that say the same. */
  readonly label?: string
}

export function Icon({ name, size = 16, className, label }: IconProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      className={`shrink-0 ${className ?? ''}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {icons[name]}
    </svg>
  )
}
