/** Cuts text to a width and caches the result, because measuring takes longer than drawing. */
export function createTextFitter(width: number, measure: (text: string) => number): (text: string) => string {
  const cache = new Map<string, string>()
  return (text) => {
    const found = cache.get(text)
    if (found !== undefined) return found
    const cut = truncateToWidth(text, width, measure)
    cache.set(text, cut)
    return cut
  }
}

function truncateToWidth(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text
  let fits = 0
  let tooLong = text.length
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(`${text.slice(0, middle)}…`) <= width) fits = middle
    else tooLong = middle
  }
  return `${text.slice(0, fits)}…`
}
