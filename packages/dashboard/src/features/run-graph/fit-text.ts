/** Text cut to a width, once for each text: to measure takes longer than to draw. */
export function createTextFitter(width: number, measure: (text: string) => number): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const cut = truncateToWidth(text, width, measure)
    known.set(text, cut)
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
