import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar } from 'yaml'
import { exactNumber } from './json-value.ts'
import { encodeKey } from './key-order.ts'
import { Reference, referenceKinds, SecretPlaceholder } from './placeholders.ts'
import type { Path, Problem } from './problems.ts'

/** A parsed file: its value, and where each part of it is. */
export interface YamlFile {
  /** The name of the file for messages. */
  readonly name: string
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The line of a value, or of the nearest part around it that the file contains. */
  lineOf(path: Path): number
}

/** Aliases can expand a short file to any size. */
const aliasedValuesMax = 100_000

/** Parses YAML 1.2 (core schema, so JSON too). Numbers keep their spelling and mappings the order of their keys. */
export function readYaml(text: string, name: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, prettyErrors: false, stringKeys: false })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const lineOf = (path: Path): number => lineAt(nodeAt(document, path)?.range?.[0] ?? 0)
  const problems: Problem[] = document.errors.map(({ message, pos }) => ({ file: name, line: lineAt(pos[0]), path: [], message }))
  if (problems.length > 0) return { name, value: undefined, problems, lineOf }
  const reader = new NodeReader(document, (node, path, message) => problems.push({ file: name, line: lineAt(node.range?.[0] ?? 0), path, message }))
  return { name, value: reader.read(document.contents, []), problems, lineOf }
}

type ReportNode = (node: Node, path: Path, message: string) => void

const coreTag = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/

class NodeReader {
  readonly #document: Document
  readonly #report: ReportNode
  /** Anchored nodes that are being expanded, to find a node that contains itself. */
  readonly #expanding = new Set<Node>()
  readonly #targets = new Map<Alias, Node>()
  #aliasedValues = 0

  constructor(document: Document, report: ReportNode) {
    this.#document = document
    this.#report = report
  }

  read(node: unknown, path: Path): unknown {
    if (this.#expanding.size > 0) this.#aliasedValues += 1
    if (isAlias(node)) return this.#readAlias(node, path)
    if (isScalar(node)) return this.#readScalar(node, path)
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index]))
    if (!isMap(node)) return null
    if (node.tag !== undefined && !coreTag.test(node.tag)) this.#report(node, path, unknownTag(node.tag))
    return Object.fromEntries(
      node.items.map(({ key, value }) => {
        const name = this.#readKey(key as Node, path)
        return [encodeKey(name), this.read(value, [...path, name])]
      }),
    )
  }

  #readKey(node: Node, path: Path): string {
    if (isScalar(node) && typeof node.value === 'string') return node.value
    if (isScalar(node) && node.value !== null && node.source !== undefined) return node.source
    this.#report(node ?? this.#document.contents, path, 'A key must be text.')
    return ''
  }

  #readAlias(alias: Alias, path: Path): unknown {
    const node = this.#resolve(alias)
    if (!node || this.#expanding.has(node)) {
      this.#report(alias, path, `The alias *${alias.source} refers to itself.`)
      return null
    }
    if (this.#aliasedValues > aliasedValuesMax) {
      if (this.#aliasedValues !== Number.POSITIVE_INFINITY) this.#report(alias, path, `Aliases expand to more than ${aliasedValuesMax} values.`)
      this.#aliasedValues = Number.POSITIVE_INFINITY
      return null
    }
    this.#expanding.add(node)
    const value = this.read(node, path)
    this.#expanding.delete(node)
    return value
  }

  /** The library searches the whole document for each alias. */
  #resolve(alias: Alias): Node | undefined {
    const known = this.#targets.get(alias) ?? alias.resolve(this.#document)
    if (known) this.#targets.set(alias, known)
    return known
  }

  #readScalar(node: Scalar, path: Path): unknown {
    if (node.tag === '!ref') return this.#readReference(node, path)
    if (node.tag === '!secret') return this.#readSecret(node, path)
    if (node.tag !== undefined && !coreTag.test(node.tag)) this.#report(node, path, unknownTag(node.tag))
    if (typeof node.value !== 'number') return node.value
    const source = toJsonNumber(node.source ?? String(node.value), node.value)
    if (source === undefined) this.#report(node, path, `${node.source} is no number of JSON.`)
    return source === undefined ? null : exactNumber(source)
  }

  #readReference(node: Scalar, path: Path): unknown {
    const reference = Reference.parse(String(node.value))
    if (!reference) this.#report(node, path, `"${node.value}" is no reference. Write KIND:NAME, where KIND is one of ${referenceKinds.join(', ')}.`)
    return reference ?? null
  }

  #readSecret(node: Scalar, path: Path): unknown {
    const name = node.value === null ? '' : String(node.value)
    if (!/^[A-Za-z_]\w*$/.test(name)) this.#report(node, path, 'A secret needs the name of an environment variable, such as !secret DB_PASSWORD.')
    return new SecretPlaceholder(name)
  }
}

const unknownTag = (tag: string): string => `Unknown tag ${tag}. The tags of these files are !ref and !secret.`

/** The JSON spelling of a YAML number. Most have it already; YAML also has `+1`, `.5`, `1.`, `0x1F` and `0o17`. Undefined for `.inf` and `.nan`. */
function toJsonNumber(source: string, value: number): string | undefined {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source)) return source
  if (/^[+-]?\d+$/.test(source)) return BigInt(source.replace('+', '')).toString()
  if (/^0[xo]/.test(source)) return BigInt(source).toString()
  if (!Number.isFinite(value)) return undefined
  const text = JSON.stringify(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** The key or list item at a path, or the last one on the way to it. */
function nodeAt(document: Document, path: Path): Node | undefined {
  let node = document.contents as Node | undefined
  let found = node
  for (const step of path) {
    const container = isAlias(node) ? node.resolve(document) : node
    if (isMap(container)) {
      const pair = container.items.find(({ key }) => isScalar(key) && (key.value === step || key.source === step))
      if (!pair) return found
      found = pair.key as Node
      node = pair.value as Node
    } else if (isSeq(container) && typeof step === 'number' && step < container.items.length) {
      node = container.items[step] as Node
      found = node
    } else return found
  }
  return found
}
