// Runs before the first paint to avoid a flash of the light theme. A separate file, because the CSP blocks inline scripts.
try {
  const { theme } = JSON.parse(localStorage.getItem('millrace.preferences') ?? '{}')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
} catch {
  document.documentElement.dataset.theme = 'light'
}
