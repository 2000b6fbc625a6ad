/**
 * For what closes and gives the focus back to its button: that comes a moment after the closing, and a key pressed meanwhile may have led
 * elsewhere. The letters that follow must go where that key led.
 */
export function keepFocusOnClose(event: Event): void {
  const focused = document.activeElement
  if (focused !== null && focused !== document.body) event.preventDefault()
}
