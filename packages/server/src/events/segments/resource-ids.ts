import { systemRandom } from '../../lib/random.ts'
import type { SegmentColumns } from './segment.ts'
import { StringOrder } from './string-order.ts'
import { StringTable } from './string-table.ts'

const seed = Math.floor(systemRandom().next() * 2 ** 32)

/** Of one chapter: the numbers that all chapters share, by the numbers of its own. */
export interface SegmentResourceIds {
  readonly resources: Uint32Array
  /** From 1; 0 for those that are called nothing. */
  readonly displayNames: Uint32Array
}

/** Numbers of subjects and of what they are called, the same in all chapters. Those of a chapter go with its columns. */
export class ResourceIds {
  readonly strings = new StringTable(seed)
  readonly order = new StringOrder(this.strings)
  readonly #byColumns = new WeakMap<SegmentColumns, SegmentResourceIds>()

  forColumns(columns: SegmentColumns): SegmentResourceIds {
    const known = this.#byColumns.get(columns)
    if (known) return known
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
    const found = { resources, displayNames }
    this.#byColumns.set(columns, found)
    return found
  }
}
