import { eventually } from './eventually.ts'

/** Reads until the value is the same three times in a row. */
export async function untilStable<T>(read: () => Promise<T>): Promise<T> {
  const seen: T[] = []
  const settled = async () => {
    seen.push(await read())
    return seen.length > 2 && seen.slice(-3).every((each) => each === seen.at(-1))
  }
  await eventually(settled).toBe(true)
  return seen.at(-1) as T
}
