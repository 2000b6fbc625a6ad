import { systemRandom } from '../../lib/random.ts'
import type { Columns } from './chapter.ts'
import { Ranks } from './ranks.ts'
import { Register } from './register.ts'

const seed = Math.floor(systemRandom().next() * 2 ** 32)

/** Of one chapter: the numbers that all chapters share, by the numbers of its own. */
export interface SharedNumbers {
  readonly subjects: Uint32Array
  /** From 1; 0 for those that are called nothing. */
  readonly calls: Uint32Array
}

/** Numbers of subjects and of what they are called, the same in all chapters. Those of a chapter go with its columns. */
export class SubjectNumbers {
  readonly texts = new Register(seed)
  readonly ranks = new Ranks(this.texts)
  readonly #known = new WeakMap<Columns, SharedNumbers>()

  of(columns: Columns): SharedNumbers {
    const known = this.#known.get(columns)
    if (known) return known
    const { words, subjectWords, callWords } = columns
    const subjects = words.numbersOf(subjectWords, this.texts)
    const calls = new Uint32Array(callWords.length)
    const named = callWords.filter((word) => word !== 0).map((word) => word - 1)
    const numbers = words.numbersOf(named, this.texts)
    for (let call = 0, at = 0; call < calls.length; call += 1) {
      if (callWords[call] === 0) continue
      calls[call] = (numbers[at] as number) + 1
      at += 1
    }
    const found = { subjects, calls }
    this.#known.set(columns, found)
    return found
  }
}
