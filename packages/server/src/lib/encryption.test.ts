import { expect, test } from 'vitest'
import { keyFrom, keyText, seal, unseal } from './encryption.ts'
import { seededRandom } from './random.ts'

const random = seededRandom(1)
const key = keyFrom(keyText(random.bytes(32)))
const other = keyFrom(keyText(random.bytes(32)))
const sealed = (plain: string) => seal(plain, { key, context: 'row-1' }, random.bytes)

test.each(['', 'x', '{"a":"ü\u0000😀"}', 'x'.repeat(100_000)])('what was sealed can be unsealed', (plain) => {
  expect(unseal(sealed(plain), { key, context: 'row-1' })).toBe(plain)
})

test('the same text is sealed differently each time, and does not show', () => {
  expect(sealed('swordfish')).not.toBe(sealed('swordfish'))
  expect(Buffer.from(sealed('swordfish'), 'base64').includes('swordfish')).toBe(false)
})

test('another key, another row or a changed bit is refused', () => {
  const text = sealed('swordfish')
  const changed = Buffer.from(text, 'base64')
  changed[14] = (changed[14] as number) ^ 1
  expect(() => unseal(text, { key: other, context: 'row-1' })).toThrow()
  expect(() => unseal(text, { key, context: 'row-2' })).toThrow()
  expect(() => unseal(changed.toString('base64'), { key, context: 'row-1' })).toThrow()
})

test('a text is always the same key; blanks around it do not count, and its id does not give it away', () => {
  const text = 'a passphrase that is long enough'
  expect(keyFrom(` ${text}\n`)).toEqual(keyFrom(text))
  expect(keyFrom(text).id).toMatch(/^[0-9a-f]{16}$/)
  expect(keyFrom(text).id).not.toBe(keyFrom(`${text}!`).id)
  expect(Buffer.from(keyFrom(text).secret).toString('hex')).not.toContain(keyFrom(text).id)
})

test('a key that can be guessed is refused', () => {
  expect(() => keyFrom('short')).toThrow('at least 16 characters')
})
