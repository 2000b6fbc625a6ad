/** What a file can refer to by name. The server uses ids for them. */
export const referenceKinds = [
  'flow',
  'deployment',
  'work-pool',
  'work-queue',
  'block-document',
  'automation',
  'concurrency-limit',
  'variable',
] as const
export type ReferenceKind = (typeof referenceKinds)[number]

const referencePattern = new RegExp(`^(!?)(${referenceKinds.join('|')}):(.+)$`, 's')

/** `!ref deployment:FLOW/NAME` in user data and in the labels of triggers. A leading `!` in a label negates it. */
export class Reference {
  readonly kind: ReferenceKind
  readonly name: string
  readonly isNegated: boolean

  constructor(kind: ReferenceKind, name: string, isNegated = false) {
    this.kind = kind
    this.name = name
    this.isNegated = isNegated
  }

  static parse(text: string): Reference | undefined {
    const [, negation, kind, name] = referencePattern.exec(text) ?? []
    return kind === undefined ? undefined : new Reference(kind as ReferenceKind, name as string, negation === '!')
  }

  get text(): string {
    return `${this.isNegated ? '!' : ''}${this.kind}:${this.name}`
  }

  toJSON(): string {
    return `!ref ${this.text}`
  }
}

/** `!secret NAME` in a block document: a value that the file does not contain. Import takes it from the environment. */
export class SecretPlaceholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  toJSON(): string {
    return `!secret ${this.name}`
  }
}

/** What the server returns for a secret. Sent back, it keeps the stored secret. */
export const secretMask = '********'

/** A secret of a block document. It is compared and sent, but never printed. */
export class Hidden {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  toJSON(): string {
    return secretMask
  }
}
