import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsQuery } from '../../api/server.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Dismissed until the tab is closed. */
const storageKey = 'millrace.open-server-dismissed'

function isDismissed(): boolean {
  try {
    return sessionStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

function storeDismissed(): void {
  try {
    sessionStorage.setItem(storageKey, 'true')
  } catch {
    // Without storage, the warning appears again on the next load.
  }
}

/** Shown when other machines reach the server and no password is set. */
export function OpenServerWarning() {
  const { data } = useQuery(settingsQuery())
  const [dismissed, setDismissed] = useState(isDismissed)
  if (dismissed || !data?.open_to_network) return null
  const dismiss = () => {
    storeDismissed()
    setDismissed(true)
  }
  return (
    <section aria-label="Security warning" className="flex items-center gap-2.5 border-b border-line bg-warning-wash py-1 pr-2 pl-4 text-warning">
      <Icon name="warning" size={16} />
      <p className="min-w-0 flex-1">
        This server has no password, and other machines can reach it. Set <code className="font-mono">MILLRACE_SERVER_API_AUTH_STRING</code> to
        require one.
      </p>
      <IconButton icon="cross" label="Dismiss" onClick={dismiss} />
    </section>
  )
}
