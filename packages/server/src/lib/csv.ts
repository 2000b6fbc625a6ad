const beginsFormula = /^[=+\-@\t\r\n]/
const isNumber = /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * Escapes a text as a CSV cell. Spreadsheets treat a text that begins with `=` or similar as a formula, which may open URLs or start programs; a leading
 * apostrophe prevents that. Numbers stay unchanged.
 */
export function escapeCsvCell(text: string): string {
  const safe = beginsFormula.test(text) && !isNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
