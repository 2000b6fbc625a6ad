import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLiveUpdates } from './api/live-updates.ts'
import { queryClient } from './api/query-client.ts'
import { router } from './router.ts'
import { watchPreferences } from './ui/preferences.ts'
import { listenForShortcuts } from './ui/shortcuts.ts'
import './styles.css'

// Radix puts a style sheet of its own on the page while a dialog is open, under this name for the word that the page's policy lets in.
Object.assign(globalThis, { __webpack_nonce__: document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce })

// A new version has taken the place of the files that this page would load next; loaded again, it is the new version. Once: more would not help.
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
