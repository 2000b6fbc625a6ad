import type { Bounds, ChapterParts } from './chapter.ts'
import type { KeptChapter } from './chapter-store.ts'

/** A chapter as it is asked; the parts that were asked for. */
export interface Chapter extends Bounds, ChapterParts {
  /** 1 for each event that is still there; undefined when all are. */
  readonly left: Uint8Array | undefined
  readonly place: ChapterPlace
}

export interface ChapterPlace extends KeptChapter {
  readonly isKept: boolean
}
