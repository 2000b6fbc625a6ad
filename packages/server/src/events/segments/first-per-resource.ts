import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { scanSegments } from './scan.ts'
import { segmentIndexOf } from './segment-index.ts'
import { growArray } from './typed-arrays.ts'

/** The first event of each subject, in the order of a list; a subject that has none has position 0. */
export interface FirstPerResource {
  /** How many subjects have one. */
  readonly count: number
  readonly occurred: Float64Array
  readonly positions: Float64Array
}

export async function findFirstPerResource(db: Db, criteria: Criteria): Promise<FirstPerResource> {
  const resourceIds = segmentIndexOf(db).resourceIds()
  const sign = criteria.order === 'DESC' ? 1 : -1
  let occurred = new Float64Array(resourceIds.strings.count)
  let positions = new Float64Array(resourceIds.strings.count)
  let count = 0
  for await (const { segment, mask } of scanSegments(db, criteria)) {
    const { columns, first } = segment
    const shared = resourceIds.forColumns(columns).resources
    occurred = growArray(occurred, resourceIds.strings.count)
    positions = growArray(positions, resourceIds.strings.count)
    for (let i = 0; i < mask.length; i += 1) {
      if (mask[i] === 0) continue
      const subject = shared[columns.resources[i] as number] as number
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
