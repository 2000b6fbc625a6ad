import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLiveUpdates } from './api/live-updates.ts'
import { queryClient, router } from './router.ts'
import { watchPreferences } from './ui/preferences.ts'
import { listenForShortcuts } from './ui/shortcuts.ts'

// Radix adds a style element while a dialog is open. It reads the CSP nonce from this variable.
Object.assign(globalThis, { __webpack_nonce__: document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce })

// After an upgrade, the chunks that this page would load are gone. One reload fetches the new version.
addEventListener('vite:preloadError', () => {
  if (sessionStorage.getItem('millrace.reloaded') === location.pathname) return
  sessionStorage.setItem('millrace.reloaded', location.pathname)
  location.reload()
})

watchPreferences()
listenForShortcuts()
startLiveUpdates(queryClient)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
