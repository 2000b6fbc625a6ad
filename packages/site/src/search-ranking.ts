/** Words of questions that say nothing about their subject. */
const stopWords = new Set(
  'a an and are as at be by can change do does for from get have how i if in into is it its make me my no not of on or the there this to use what when where which why with you your'.split(
    ' ',
  ),
)

/** Long lists: they contain every word, and are rarely the answer. */
const lists = /\/(?:cli|config|errors|api\/[^#]*)(?:\.html)?(?:#|$)/

/** How MiniSearch ranks sections of pages. */
export const searchOptions = {
  /** `title` is the heading of a section, `titles` are those above it. */
  boost: { title: 4, titles: 1, text: 1 },
  processTerm: (term: string): string | null => (stopWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
  prefix: (term: string): boolean => term.length > 2,
  fuzzy: (term: string): number | false => (term.length > 4 ? 0.2 : false),
  /** The first section of a page has no headings above it. */
  boostDocument: (id: string, _term: string, stored?: Record<string, unknown>): number =>
    (isEmpty(stored?.titles) ? 2.5 : 1) * (lists.test(id) ? 0.3 : 1),
}

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0
