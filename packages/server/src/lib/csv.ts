const beginsFormula = /^[=+\-@\t\r\n]/
const isNumber = /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * A text as a cell of a CSV file. Spreadsheets take a text that begins with `=` and the like for a formula, which may open addresses or start programs: an
 * apostrophe before it makes it a text. Numbers stay as they are.
 */
export function escapeCsvCell(text: string): string {
  const safe = beginsFormula.test(text) && !isNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
