import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Secrets at rest: AES-256-GCM. The ciphertext is bound to its context (the id of its row), so that it cannot be moved to another row.
 * The id of the key is stored next to it, so that keys can be rotated.
 */
export interface Key {
  /** Identifies the key without revealing it. */
  readonly id: string
  readonly secret: Uint8Array
}

const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** Shorter keys can be guessed. A key in base64, such as `openssl rand -base64 32` or a Fernet key, has 44 characters. */
const keyCharactersMin = 16

/** Derives a key of the required length from any sufficiently long text. */
export function deriveKey(text: string): Key {
  const trimmed = text.trim()
  if (trimmed.length < keyCharactersMin) {
    throw new Error(`An encryption key needs at least ${keyCharactersMin} characters; \`openssl rand -base64 32\` makes a good one`)
  }
  return { id: Buffer.from(derive(trimmed, 'millrace key id', 8)).toString('hex'), secret: derive(trimmed, 'millrace secrets', 32) }
}

/** Encodes 32 random bytes as the text of a new key. */
export const encodeKey = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export const keyLengthBytes = 32

export interface EncryptionOptions {
  readonly key: Key
  /** Authenticated but not encrypted: the id of the row. */
  readonly context: string
}

/** A nonce must never repeat for one key. Twelve random bytes ensure that. */
export function encrypt(plain: string, { key, context }: EncryptionOptions, bytes: (size: number) => Uint8Array): string {
  const nonce = bytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key.secret, nonce)
  cipher.setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

/** Throws when the key is wrong or the ciphertext was changed. */
export function decrypt(ciphertext: string, { key, context }: EncryptionOptions): string {
  const bytes = Buffer.from(ciphertext, 'base64')
  const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
}

const derive = (text: string, purpose: string, size: number): Uint8Array => new Uint8Array(hkdfSync('sha256', text, '', purpose, size))

/**
 * Fernet, the encryption of the reference. A token is a version, a time, an initialization vector, the AES-128-CBC ciphertext and an HMAC over all of
 * it. Tokens are only decrypted, during an adoption; new secrets use `encrypt`.
 */
const version = 0x80
const headerBytes = 25
const macBytes = 32

/** Throws when the key is wrong or the token was changed. */
export function decryptFernet(token: string, key: string): string {
  const keys = Buffer.from(key, 'base64url')
  if (keys.length !== 32) throw new Error('A Fernet key is 32 bytes in base64')
  const all = Buffer.from(token, 'base64url')
  if (all.length < headerBytes + macBytes || all[0] !== version) throw new Error('Not a Fernet token')
  const signed = all.subarray(0, -macBytes)
  const mac = createHmac('sha256', keys.subarray(0, 16)).update(signed).digest()
  if (!timingSafeEqual(mac, all.subarray(-macBytes))) throw new Error('Wrong key, or the token was changed')
  const decipher = createDecipheriv('aes-128-cbc', keys.subarray(16), all.subarray(9, headerBytes))
  return Buffer.concat([decipher.update(signed.subarray(headerBytes)), decipher.final()]).toString('utf8')
}
