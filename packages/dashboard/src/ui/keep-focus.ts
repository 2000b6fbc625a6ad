/**
 * Radix returns the focus to the trigger a moment after closing. Meanwhile a shortcut may have moved the focus: keep it there, so that the next
 * letters go to the right field.
 */
export function keepFocusOnClose(event: Event): void {
  const focused = document.activeElement
  if (focused !== null && focused !== document.body) event.preventDefault()
}
