import { describe, expect, it } from 'vitest'
import { unacknowledged } from './use-optimistic-value.ts'

describe('unacknowledged values', () => {
  it('knows what it sent, however late it comes back', () => {
    expect(unacknowledged(['a', 'ab'], 'a')).toEqual(['ab'])
    expect(unacknowledged(['ab'], 'ab')).toEqual([])
  })

  it('waits no longer for what a later one overtook', () => {
    expect(unacknowledged(['a', 'ab', 'abc'], 'ab')).toEqual(['abc'])
  })

  it('tells what came from elsewhere', () => {
    expect(unacknowledged(['a', 'ab'], '')).toBeUndefined()
    expect(unacknowledged([], 'a')).toBeUndefined()
  })

  it('expects a value as often as it was sent', () => {
    expect(unacknowledged(['a', 'ab', 'a'], 'a')).toEqual(['ab', 'a'])
  })
})
