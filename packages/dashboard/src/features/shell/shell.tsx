import { Outlet, useNavigate } from '@tanstack/react-router'
import { Dialog as RadixDialog } from 'radix-ui'
import { lazy, Suspense, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Logo } from '../../ui/logo.tsx'
import { getPreferences, setPreferences } from '../../ui/preferences.ts'
import { listShortcuts, useShortcut } from '../../ui/shortcuts.ts'
import { Toasts } from '../../ui/toast.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { Login } from './login.tsx'
import { type NavItem, navItems } from './navigation.ts'
import { OpenServerWarning } from './open-server-warning.tsx'
import { Sidebar } from './sidebar.tsx'

const Palette = lazy(() => import('./command-palette.tsx').then(({ CommandPalette }) => ({ default: CommandPalette })))

/** Layout of every page: navigation, command palette, toasts. */
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const [drawer, setDrawer] = useState(false)
  useShortcut('mod+k', 'Search', () => setPalette(true))
  useShortcut('?', 'Show these shortcuts', () => setHelp(true))
  useShortcut('d d', 'Toggle dark theme', () => setPreferences({ theme: getPreferences().theme === 'dark' ? 'light' : 'dark' }))
  const search = () => {
    setDrawer(false)
    setPalette(true)
  }
  return (
    <TooltipProvider>
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-surface focus:p-3"
      >
        Skip to main content
      </button>
      {navItems.map((place) => (
        <NavShortcut key={place.to} place={place} />
      ))}
      <div className="flex h-dvh flex-col md:flex-row">
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
          <IconButton icon="menu" label="Menu" onClick={() => setDrawer(true)} />
          <Logo size={22} />
          <span className="font-semibold">Millrace</span>
          <IconButton icon="search" label="Search" className="ml-auto" onClick={search} />
        </header>
        <aside className="hidden w-52 shrink-0 border-r border-line md:block">
          <Sidebar onSearch={search} onHelp={() => setHelp(true)} />
        </aside>
        <main ref={main} tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto focus:outline-none">
          <OpenServerWarning />
          <Outlet />
        </main>
      </div>
      <Drawer open={drawer} onClose={() => setDrawer(false)} onSearch={search} onHelp={() => setHelp(true)} />
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
      <ShortcutHelp open={help} onClose={() => setHelp(false)} />
      <Toasts />
      <Login />
    </TooltipProvider>
  )
}

function NavShortcut({ place }: { readonly place: NavItem }) {
  const navigate = useNavigate()
  useShortcut(`g ${place.key}`, `Go to ${place.label}`, () => void navigate({ to: place.to }))
  return null
}

interface DrawerProps {
  readonly open: boolean
  onClose(): void
  onSearch(): void
  onHelp(): void
}

function Drawer({ open, onClose, onSearch, onHelp }: DrawerProps) {
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-30 bg-ink/30 dark:bg-paper/70" />
        <RadixDialog.Content aria-describedby={undefined} className="fixed inset-y-0 left-0 z-40 w-64 bg-paper shadow-pop focus:outline-none">
          <RadixDialog.Title className="sr-only">Menu</RadixDialog.Title>
          <Sidebar onSearch={onSearch} onHelp={onHelp} onNavigate={onClose} />
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

function ShortcutHelp({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  const shortcuts = open ? listShortcuts() : []
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" description="Shortcuts on this page and everywhere.">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-1.5">
        {shortcuts.map(({ keys, description: does }) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys
                .replace('mod+', 'Ctrl ')
                .split(' ')
                .map((key) => (
                  <kbd key={key} className="rounded-sm border border-line bg-sunken px-1.5 font-mono text-sm">
                    {key}
                  </kbd>
                ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
