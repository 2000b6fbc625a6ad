import { Dialog } from '../../ui/dialog.tsx'
import { listShortcuts } from '../../ui/shortcuts.ts'

export function ShortcutHelp({ open, onClose }: { readonly open: boolean; onClose(): void }) {
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
