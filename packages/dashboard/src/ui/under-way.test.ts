import { describe, expect, it } from 'vitest'
import { stillUnderWay } from './under-way.ts'

describe('values under way', () => {
  it('knows what it sent, however late it comes back', () => {
    expect(stillUnderWay(['a', 'ab'], 'a')).toEqual(['ab'])
    expect(stillUnderWay(['ab'], 'ab')).toEqual([])
  })

  it('waits no longer for what a later one overtook', () => {
    expect(stillUnderWay(['a', 'ab', 'abc'], 'ab')).toEqual(['abc'])
  })

  it('tells what came from elsewhere', () => {
    expect(stillUnderWay(['a', 'ab'], '')).toBeUndefined()
    expect(stillUnderWay([], 'a')).toBeUndefined()
  })

  it('expects a value as often as it was sent', () => {
    expect(stillUnderWay(['a', 'ab', 'a'], 'a')).toEqual(['ab', 'a'])
  })
})
