import { plainText, readMarkdown } from './markdown.ts'
import { searchWords } from './search-words.ts'

/** A part of a page from one heading to the next, as VitePress puts it into the search index. */
interface Section {
  readonly anchor: string
  /** Headings from that of the page down to that of the section. */
  readonly titles: readonly string[]
  readonly text: string
}

/** The sections of a page of the site. The first one has the other words that people use for the subject of the page. */
export function splitIntoSections(page: string, markdown: string): Section[] {
  const { headings } = readMarkdown(markdown)
  const path: string[] = []
  return headings.map(({ text, level, anchor, end }, index) => {
    path.length = Math.min(path.length, level - 1)
    path[level - 1] = text
    const body = plainText(markdown.slice(end, headings[index + 1]?.start))
    const words = index === 0 ? (searchWords[page] ?? '') : ''
    return { anchor, titles: path.filter(Boolean), text: `${words} ${body}`.trim() }
  })
}
