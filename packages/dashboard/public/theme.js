// Before the first paint, so that nobody who chose the dark is met with a flash of light. A file of its own: the page's policy runs no inline script.
try {
  const { theme } = JSON.parse(localStorage.getItem('millrace.preferences') ?? '{}')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
} catch {
  document.documentElement.dataset.theme = 'light'
}
