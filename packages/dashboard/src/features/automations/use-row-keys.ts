import { useRef } from 'react'

/** React keys for rows without ids, so that a row keeps its state when another is removed before it. */
export function useRowKeys(count: number): { keys: readonly number[]; removed(index: number): void } {
  const keys = useRef<number[]>([])
  const last = useRef(0)
  while (keys.current.length < count) keys.current.push(++last.current)
  keys.current.length = count
  return {
    keys: keys.current,
    removed(index) {
      keys.current = keys.current.filter((_, position) => position !== index)
    },
  }
}
