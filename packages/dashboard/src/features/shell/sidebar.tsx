import { Link } from '@tanstack/react-router'
import { basePath } from '../../api/client.ts'
import { useConnectionMode } from '../../api/live-updates.ts'
import { IconButton, IconLink } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Logo } from '../../ui/logo.tsx'
import { type Preferences, setPreferences, usePreferences } from '../../ui/preferences.ts'
import { navGroups } from './navigation.ts'

interface SidebarProps {
  onSearch(): void
  onHelp(): void
  /** Closes the drawer in which phones show the sidebar. */
  onNavigate?(): void
}

export function Sidebar({ onSearch, onHelp, onNavigate }: SidebarProps) {
  return (
    <div className="flex h-full w-full flex-col gap-3 px-3 py-3">
      <Link to="/dashboard" {...(onNavigate && { onClick: onNavigate })} className="flex h-9 items-center gap-2.5 rounded-md px-1.5">
        <Logo size={26} />
        <span className="font-semibold text-lg tracking-tight">Millrace</span>
      </Link>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2 text-faint hover:border-edge hover:text-soft"
      >
        <Icon name="search" size={14} />
        <span className="flex-1 text-left">Search…</span>
        <kbd className="font-mono text-xs">Ctrl K</kbd>
      </button>
      <nav aria-label="Main navigation" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto">
        {navGroups.map((group) => (
          <div key={group.label ?? 'other'}>
            {group.label && <p className="px-2 pb-1 font-medium text-faint text-xs">{group.label}</p>}
            {group.items.map((item) => (
              <Link
                key={item.to}
                to={item.to}
                {...(onNavigate && { onClick: onNavigate })}
                activeOptions={{ includeSearch: false }}
                activeProps={{ className: 'bg-wash text-ink font-semibold [&_svg]:text-accent', 'aria-current': 'page' }}
                inactiveProps={{ className: 'text-soft hover:bg-hover hover:text-ink' }}
                className="flex h-8 items-center gap-2.5 rounded-md px-2"
              >
                <Icon name={item.icon} />
                {item.label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <footer className="flex items-center gap-1">
        <ConnectionStatus />
        <IconLink icon="documentation" label="Documentation" href={`${basePath}/help/`} className="ml-auto" />
        <IconButton icon="keyboard" label="Keyboard shortcuts" keys="?" onClick={onHelp} />
        <ThemeButton />
      </footer>
    </div>
  )
}

const connectionModes = {
  connecting: { label: 'Connecting', hint: 'Connecting to the server', dot: 'bg-edge' },
  live: { label: 'Live', hint: 'Updates arrive live', dot: 'bg-good' },
  polling: { label: 'Every 5 s', hint: 'Live updates are not available. The page refreshes every 5 seconds.', dot: 'bg-warning' },
}

function ConnectionStatus() {
  const { label, hint, dot } = connectionModes[useConnectionMode()]
  return (
    <span title={hint} className="flex items-center gap-2 px-2 text-faint text-sm">
      <span className={`size-2 rounded-full ${dot}`} />
      {label}
    </span>
  )
}

const themes: Record<Preferences['theme'], { next: Preferences['theme']; icon: 'sun' | 'moon' | 'system'; label: string }> = {
  system: { next: 'light', icon: 'system', label: 'Theme: system' },
  light: { next: 'dark', icon: 'sun', label: 'Theme: light' },
  dark: { next: 'system', icon: 'moon', label: 'Theme: dark' },
}

function ThemeButton() {
  const { theme } = usePreferences()
  const { next, icon, label } = themes[theme]
  return <IconButton icon={icon} label={label} onClick={() => setPreferences({ theme: next })} />
}
