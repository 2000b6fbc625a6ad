import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { askChapters } from './ask.ts'
import { larger } from './larger.ts'
import { shelfOf } from './shelf.ts'

/** The first event of each subject, in the order of a list; a subject that has none has position 0. */
export interface FirstPlaces {
  /** How many subjects have one. */
  readonly count: number
  readonly occurred: Float64Array
  readonly positions: Float64Array
}

export async function firstPlaces(db: Db, criteria: Criteria): Promise<FirstPlaces> {
  const numbers = shelfOf(db).subjectNumbers()
  const sign = criteria.order === 'DESC' ? 1 : -1
  let occurred = new Float64Array(numbers.texts.count)
  let positions = new Float64Array(numbers.texts.count)
  let count = 0
  for await (const { chapter, marks } of askChapters(db, criteria)) {
    const { columns, first } = chapter
    const shared = numbers.of(columns).subjects
    occurred = larger(occurred, numbers.texts.count)
    positions = larger(positions, numbers.texts.count)
    for (let i = 0; i < marks.length; i += 1) {
      if (marks[i] === 0) continue
      const subject = shared[columns.subjects[i] as number] as number
      const time = columns.occurred[i] as number
      const position = (columns.positions[i] as number) + first
      const known = positions[subject] as number
      if (known === 0) count += 1
      else if ((time - (occurred[subject] as number) || position - known) * sign < 0) continue
      occurred[subject] = time
      positions[subject] = position
    }
  }
  return { count, occurred, positions }
}
