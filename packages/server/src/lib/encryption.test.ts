import { expect, test } from 'vitest'
import { decrypt, decryptFernet, deriveKey, encodeKey, encrypt } from './encryption.ts'
import { seededRandom } from './random.ts'

const random = seededRandom(1)
const key = deriveKey(encodeKey(random.bytes(32)))
const other = deriveKey(encodeKey(random.bytes(32)))
const sealText = (plain: string) => encrypt(plain, { key, context: 'row-1' }, random.bytes)

test.each(['', 'x', '{"a":"ü\u0000😀"}', 'x'.repeat(100_000)])('what was sealed can be unsealed', (plain) => {
  expect(decrypt(sealText(plain), { key, context: 'row-1' })).toBe(plain)
})

test('the same text is sealed differently each time, and does not show', () => {
  expect(sealText('swordfish')).not.toBe(sealText('swordfish'))
  expect(Buffer.from(sealText('swordfish'), 'base64').includes('swordfish')).toBe(false)
})

test('another key, another row or a changed bit is refused', () => {
  const text = sealText('swordfish')
  const changed = Buffer.from(text, 'base64')
  changed[14] = (changed[14] as number) ^ 1
  expect(() => decrypt(text, { key: other, context: 'row-1' })).toThrow()
  expect(() => decrypt(text, { key, context: 'row-2' })).toThrow()
  expect(() => decrypt(changed.toString('base64'), { key, context: 'row-1' })).toThrow()
})

test('a text is always the same key; blanks around it do not count, and its id does not give it away', () => {
  const text = 'a passphrase that is long enough'
  expect(deriveKey(` ${text}\n`)).toEqual(deriveKey(text))
  expect(deriveKey(text).id).toMatch(/^[0-9a-f]{16}$/)
  expect(deriveKey(text).id).not.toBe(deriveKey(`${text}!`).id)
  expect(Buffer.from(deriveKey(text).secret).toString('hex')).not.toContain(deriveKey(text).id)
})

test('a key that can be guessed is refused', () => {
  expect(() => deriveKey('short')).toThrow('at least 16 characters')
})

// The example of the Fernet specification.
const fernetKey = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4='
const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA=='

test('reads a token', () => {
  expect(decryptFernet(token, fernetKey)).toBe('hello')
})

test('refuses another key, a changed token, and what is no token', () => {
  expect(() => decryptFernet(token, 'jpQRnpMNxNdF5FxC31fUJImB05UttuAHJfleUZWHUHI=')).toThrow('another key')
  expect(() => decryptFernet(token.replace('Q', 'R'), fernetKey)).toThrow('another key')
  expect(() => decryptFernet('hello', fernetKey)).toThrow('not a Fernet token')
  expect(() => decryptFernet(token, 'short')).toThrow('32 bytes')
})
