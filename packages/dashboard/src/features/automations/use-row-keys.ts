import { useRef } from 'react'

/** Keys for rows that have no names of their own, so that each keeps what it holds when another is taken out before it. */
export function useRowKeys(count: number): { keys: readonly number[]; removed(index: number): void } {
  const keys = useRef<number[]>([])
  const last = useRef(0)
  while (keys.current.length < count) keys.current.push(++last.current)
  keys.current.length = count
  return {
    keys: keys.current,
    removed(index) {
      keys.current = keys.current.filter((_, place) => place !== index)
    },
  }
}
