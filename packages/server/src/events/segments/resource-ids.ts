import { systemRandom } from '../../lib/random.ts'
import type { SegmentColumns } from './segment.ts'
import { StringOrder } from './string-order.ts'
import { StringTable } from './string-table.ts'

const seed = Math.floor(systemRandom().next() * 2 ** 32)

/** Maps the indexes of one segment to the ids that all segments share. */
export interface SegmentResourceIds {
  readonly resources: Uint32Array
  /** Id + 1; 0 for no display name. */
  readonly displayNames: Uint32Array
}

/** Ids of resources and display names, shared by all segments. The mapping of a segment is freed with its columns. */
export class ResourceIds {
  readonly strings = new StringTable(seed)
  readonly order = new StringOrder(this.strings)
  readonly #byColumns = new WeakMap<SegmentColumns, SegmentResourceIds>()

  forColumns(columns: SegmentColumns): SegmentResourceIds {
    const cached = this.#byColumns.get(columns)
    if (cached) return cached
    const { dictionary, resourceOrdinals, displayNameOrdinals } = columns
    const resources = dictionary.internInto(resourceOrdinals, this.strings)
    const displayNames = new Uint32Array(displayNameOrdinals.length)
    const present = displayNameOrdinals.filter((ordinal) => ordinal !== 0).map((ordinal) => ordinal - 1)
    const ids = dictionary.internInto(present, this.strings)
    for (let index = 0, at = 0; index < displayNames.length; index += 1) {
      if (displayNameOrdinals[index] === 0) continue
      displayNames[index] = (ids[at] as number) + 1
      at += 1
    }
    const mapping = { resources, displayNames }
    this.#byColumns.set(columns, mapping)
    return mapping
  }
}
