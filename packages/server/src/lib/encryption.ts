import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Secrets at rest: AES-256-GCM. What is sealed is bound to its context (the id of its row), so that it cannot be moved to another row,
 * and the id of the key stands beside it, so that keys can change.
 */
export interface Key {
  /** Tells keys apart and says nothing of the key itself. */
  readonly id: string
  readonly secret: Uint8Array
}

const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** Shorter ones can be guessed. A key in base64, as `openssl rand -base64 32` or a Fernet key, has 44 characters. */
const keyCharactersMin = 16

/** The key that a text stands for. Any long text will do: it is stretched to the length that the cipher asks for. */
export function deriveKey(text: string): Key {
  const given = text.trim()
  if (given.length < keyCharactersMin) {
    throw new Error(`An encryption key needs at least ${keyCharactersMin} characters; \`openssl rand -base64 32\` makes a good one`)
  }
  return { id: Buffer.from(derive(given, 'millrace key id', 8)).toString('hex'), secret: derive(given, 'millrace secrets', 32) }
}

/** A new key as text, from 32 random bytes. */
export const encodeKey = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export const keyLengthBytes = 32

export interface EncryptionOptions {
  readonly key: Key
  /** What belongs to the secret and is not secret itself. */
  readonly context: string
}

/** The nonce must never be the same twice with one key: twelve bytes from a good source are. */
export function encrypt(plain: string, { key, context }: EncryptionOptions, bytes: (size: number) => Uint8Array): string {
  const nonce = bytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key.secret, nonce)
  cipher.setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

/** Throws when the key is another one, or when a single bit was changed. */
export function decrypt(sealed: string, { key, context }: EncryptionOptions): string {
  const all = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(algorithm, key.secret, all.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(all.subarray(-tagBytes))
  return Buffer.concat([decipher.update(all.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
}

const derive = (text: string, purpose: string, size: number): Uint8Array => new Uint8Array(hkdfSync('sha256', text, '', purpose, size))

/**
 * Fernet: how the reference keeps secrets. A token is a version, a time, an initial vector, AES-128-CBC over the text and an HMAC over all of
 * it. We only ever read them: what is kept here is encrypted by encryption.ts.
 */
const version = 0x80
const headerBytes = 25
const macBytes = 32

/** Throws when the key is another one, or when the token was changed. */
export function decryptFernet(token: string, key: string): string {
  const keys = Buffer.from(key, 'base64url')
  if (keys.length !== 32) throw new Error('A Fernet key is 32 bytes in base64')
  const all = Buffer.from(token, 'base64url')
  if (all.length < headerBytes + macBytes || all[0] !== version) throw new Error('not a Fernet token')
  const signed = all.subarray(0, -macBytes)
  const mac = createHmac('sha256', keys.subarray(0, 16)).update(signed).digest()
  if (!timingSafeEqual(mac, all.subarray(-macBytes))) throw new Error('another key, or a token that was changed')
  const decipher = createDecipheriv('aes-128-cbc', keys.subarray(16), all.subarray(9, headerBytes))
  return Buffer.concat([decipher.update(signed.subarray(headerBytes)), decipher.final()]).toString('utf8')
}
