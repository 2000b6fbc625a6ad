import { expect, test } from 'vitest'
import { createTextFitter } from './fit-text.ts'

test('cuts text to the width and measures it once', () => {
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
