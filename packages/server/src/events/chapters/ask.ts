import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { type Marks, matching, needsOf } from './match.ts'
import type { Chapter } from './open-chapter.ts'
import { keepFound } from './search.ts'
import { shelfOf } from './shelf.ts'

export interface Answer {
  readonly chapter: Chapter
  /** 1 for each event that was found. */
  readonly marks: Marks
}

/**
 * Asks chapter after chapter, in the order of the list, which of its events meet a filter. `enough` is asked before each, and may end it: chapters
 * that follow have nothing newer (or older, in the other order) than its bounds say.
 */
export async function* askChapters(db: Db, criteria: Criteria, enough: (next: Chapter) => boolean = () => false): AsyncGenerator<Answer> {
  const shelf = shelfOf(db)
  for await (const chapter of shelf.open(criteria, criteria.order, needsOf(criteria))) {
    if (enough(chapter)) return
    const marks = matching(chapter, criteria)
    if (!marks) continue
    if (criteria.search && !(await keepFound(db, shelf, chapter, marks, criteria.search))) continue
    yield { chapter, marks }
  }
}
