import { useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './classes.ts'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad' | 'plain'
  readonly text: string
  readonly detail?: string | undefined
  readonly undo?: (() => void) | undefined
}

const undoSeconds = 8
const visibleSeconds = { good: 4, plain: 4, bad: 10 }
const listeners = new Set<() => void>()
/** Commits whose undo time has not passed. They run when the page is closed. */
const pendingCommits = new Set<() => void>()
let toasts: readonly Toast[] = []
let lastId = 0

function setToasts(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => setToasts(toasts.filter((toast) => toast.id !== id))

/** Shows a toast for a few seconds. Errors stay longer. */
export function showToast(text: string, { tone = 'good', detail }: { tone?: Toast['tone']; detail?: string } = {}): void {
  const id = ++lastId
  setToasts([...toasts.slice(-3), { id, tone, text, detail }])
  window.setTimeout(() => dismiss(id), visibleSeconds[tone] * 1000)
}

/** Shows a toast with Undo. Commits after 8 seconds or when the page is closed. */
export function showUndoableToast(text: string, { commit, revert }: { commit(): void; revert(): void }): void {
  const id = ++lastId
  const settle = (action: () => void) => {
    if (!pendingCommits.delete(finish)) return
    window.clearTimeout(timer)
    dismiss(id)
    action()
  }
  const finish = () => settle(commit)
  pendingCommits.add(finish)
  const timer = window.setTimeout(finish, undoSeconds * 1000)
  setToasts([...toasts.slice(-3), { id, tone: 'plain', text, undo: () => settle(revert) }])
}

addEventListener('pagehide', () => {
  for (const finish of pendingCommits) finish()
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const edges = { good: 'border-l-good', bad: 'border-l-danger', plain: 'border-l-accent' }

/** Render once, at the end of the page. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map((toast) => (
        <div
          key={toast.id}
          className={classNames(
            'pointer-events-auto flex w-full max-w-sm animate-rise items-start gap-2.5 rounded-md border-l-3 bg-surface py-2 pr-1.5 pl-3 shadow-pop',
            edges[toast.tone],
          )}
        >
          {toast.tone === 'bad' && <Icon name="warning" className="mt-1.5 text-danger" />}
          <div className="min-w-0 flex-1 py-1">
            <p className="font-medium">{toast.text}</p>
            {toast.detail && <p className="text-soft text-sm">{toast.detail}</p>}
          </div>
          {toast.undo && (
            <Button variant="quiet" className="text-accent" onClick={toast.undo}>
              Undo
            </Button>
          )}
          <IconButton icon="cross" label="Dismiss" onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </section>
  )
}
