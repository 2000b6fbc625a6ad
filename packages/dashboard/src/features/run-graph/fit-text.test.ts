import { expect, test } from 'vitest'
import { createTextFitter } from './fit-text.ts'

test('text is cut where it would not fit any more, and measured once', () => {
  let measured = 0
  const cut = createTextFitter(5, (text) => {
    measured += 1
    return text.length
  })
  expect(cut('short')).toBe('short')
  expect(cut('much too long')).toBe('much…')
  const before = measured
  expect(cut('much too long')).toBe('much…')
  expect(measured).toBe(before)
})
