/**
 * Writes the types of `packages/contracts` as plain TypeScript declarations, for the published client. The contracts derive their types from TypeBox
 * schemas, so their own declarations would need TypeBox in every project that uses the client.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { type Declaration, readDeclarations } from './type-declarations.ts'

interface Schema {
  readonly $id?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly 'x-free'?: boolean
  readonly 'x-unset'?: boolean
}

/** A module of the contracts: its types as written, and its schemas. */
export interface ContractModule {
  readonly file: string
  readonly declarations: readonly Declaration[]
  readonly exports: Readonly<Record<string, unknown>>
}

/** Fields whose type in the contracts is narrower than their schema, by `Schema.field`. */
const fieldTypes: Readonly<Record<string, string>> = {
  'Automation.trigger': 'Trigger',
  'Automation.actions': 'Action[]',
  'Automation.actions_on_trigger': 'Action[]',
  'Automation.actions_on_resolve': 'Action[]',
  'CallWebhook.payload': 'string',
  'DeploymentResponse.concurrency_limit': 'null',
}

/** Names for schemas without an id that are recursive or long, by a path to the schema. */
const namedSchemas: Readonly<Record<string, string>> = {
  Action: 'ActionSent',
  Trigger: 'TriggerSent',
  'SchemaValuesValidationResponse.properties.errors.items': 'SchemaValueError',
}

/** Types of `namedSchemas` that are copied from the contracts. The others are written from the schema: TypeScript 5 rejects `TriggerSent` as circular. */
const copiedTypes: ReadonlySet<string> = new Set(['SchemaValueError'])

export function readContracts(folder = join(repositoryRoot, 'packages/contracts/src')): ContractModule[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const load = createRequire(import.meta.url)
  return files.sort().map((file) => ({
    file,
    declarations: readDeclarations(readFileSync(join(folder, file), 'utf8')),
    exports: load(join(folder, file)),
  }))
}

/** The text of the declaration file. */
export function contractTypes(modules: readonly ContractModule[]): string {
  return new TypeWriter(modules).write()
}

/** Names of the exported types of a module. Generic types are tools of the contracts. */
export const exportedTypes = ({ declarations }: ContractModule): string[] =>
  declarations.filter(({ kind, isExported, isGeneric }) => kind === 'type' && isExported && !isGeneric).map(({ name }) => name)

class TypeWriter {
  readonly #modules: readonly ContractModule[]
  readonly #schemas: ReadonlyMap<string, Schema>
  /** Types whose text is not derived from the schema of the same name. */
  readonly #handWritten: ReadonlySet<string>
  readonly #comments: ReadonlyMap<string, Declaration>
  readonly #named: ReadonlyMap<Schema, string>
  readonly #written = new Map<string, string>()

  constructor(modules: readonly ContractModule[]) {
    this.#modules = modules
    this.#schemas = new Map(
      modules.flatMap(({ exports }) => Object.entries(exports).filter((entry): entry is [string, Schema] => isSchema(entry[1]))),
    )
    const declarations = modules.flatMap((module) => module.declarations)
    this.#handWritten = new Set(declarations.filter((each) => each.kind === 'type' && staticOf(each) === undefined).map(({ name }) => name))
    this.#comments = new Map(declarations.filter(({ kind }) => kind === 'value').map((each) => [each.name, each]))
    this.#named = new Map(Object.entries(namedSchemas).map(([path, name]) => [this.#schemaAt(path), name]))
  }

  write(): string {
    for (const module of this.#modules) for (const name of exportedTypes(module)) this.#writeDeclared(module, name)
    const texts = [...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
    return `${texts.join('\n\n')}\n`
  }

  #writeDeclared(module: ContractModule, name: string): void {
    if (this.#written.has(name)) return
    const declaration = module.declarations.find((each) => each.kind === 'type' && each.name === name)
    if (!declaration) return
    const schemaName = staticOf(declaration)
    const schema = schemaName === undefined ? this.#writtenSchema(name) : this.#schema(schemaName)
    if (schema !== undefined) this.#writeSchema(name, schema, declaration.comment)
    else this.#copyType(module, declaration)
  }

  /** Copies a type that is written by hand, and the types that only its module uses. */
  #copyType(module: ContractModule, declaration: Declaration): void {
    this.#written.set(declaration.name, '')
    const text = declaration.text
      .replaceAll(/\bStatic<typeof (\w+)>/g, (_, schema: string) => this.#typeOf(this.#schema(schema)))
      .replaceAll(/\bReceived<typeof (\w+)>/g, (_, schema: string) => this.#receivedType(this.#schema(schema)))
    this.#written.set(declaration.name, `${declaration.comment}export ${text}`)
    for (const { kind, name: other, isExported } of module.declarations) {
      if (kind === 'type' && !isExported && new RegExp(`\\b${other}\\b`).test(text)) this.#writeDeclared(module, other)
    }
  }

  #writtenSchema(name: string): Schema | undefined {
    return copiedTypes.has(name) ? undefined : [...this.#named].find(([, given]) => given === name)?.[0]
  }

  #writeSchema(name: string, schema: Schema, comment = ''): void {
    if (this.#written.has(name)) return
    this.#written.set(name, '')
    const own = this.#comments.get(schema.$id ?? name)
    const body = schema.properties
      ? `interface ${name} ${this.#objectType(schema, '', own?.fieldComments)}`
      : `type ${name} = ${this.#anonymousType(schema)}`
    this.#written.set(name, `${comment || own?.comment || ''}export ${body}`)
  }

  /** The type of a part: a name where it has one. */
  #typeOf(schema: Schema, indent = ''): string {
    const name = this.#nameOf(schema)
    if (name === undefined) return this.#anonymousType(schema, indent)
    if (!copiedTypes.has(name)) this.#writeSchema(name, schema)
    return name
  }

  #nameOf(schema: Schema): string | undefined {
    const { $id } = schema
    // TypeBox copies the schemas of optional fields, so that a union is also recognized by its members.
    const named =
      this.#named.get(schema) ?? [...this.#named].find(([each]) => memberNames(schema) !== '' && memberNames(each) === memberNames(schema))?.[1]
    return named ?? ($id !== undefined && this.#handWritten.has($id) ? `${$id}Sent` : $id)
  }

  #anonymousType(schema: Schema, indent = ''): string {
    if ('const' in schema) return literal(schema.const)
    if (schema.enum) return schema.enum.map(literal).join(' | ')
    if (schema.anyOf) return union(schema.anyOf.map((member) => this.#typeOf(member, indent)))
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return this.#arrayType(schema, indent)
      case 'object':
        return this.#objectType(schema, indent)
      case undefined:
        if (schema['x-free']) return 'unknown'
    }
    throw new Error(`No type for the schema ${JSON.stringify(schema).slice(0, 200)}`)
  }

  #arrayType({ items, prefixItems, minItems, maxItems }: Schema, indent: string): string {
    if (prefixItems) return `[${prefixItems.map((item) => this.#typeOf(item, indent)).join(', ')}]`
    const item = this.#typeOf(items as Schema, indent)
    if (minItems !== undefined && minItems === maxItems) return `[${Array(minItems).fill(item).join(', ')}]`
    return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`
  }

  #objectType(schema: Schema, indent: string, comments: ReadonlyMap<string, string> = new Map()): string {
    const { properties, patternProperties, additionalProperties, required = [] } = schema
    if (!properties) {
      const [values] = Object.values(patternProperties ?? {})
      return `Record<string, ${values ? this.#typeOf(values, indent) : isSchema(additionalProperties) ? this.#typeOf(additionalProperties, indent) : 'unknown'}>`
    }
    const lines = Object.entries(properties).map(([key, field]) => {
      const type = fieldTypes[`${schema.$id}.${key}`] ?? this.#typeOf(field, `${indent}  `)
      const comment = comments.get(key) ?? (field.deprecated ? '/** @deprecated */' : '')
      return `${indent}  ${comment === '' ? '' : `${comment}\n${indent}  `}${propertyName(key)}${required.includes(key) ? '' : '?'}: ${type};\n`
    })
    return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`
  }

  /** As `Received` of the contracts: fields with a default are present. */
  #receivedType(schema: Schema): string {
    if (schema.anyOf) return union(schema.anyOf.map((member) => this.#receivedType(member)))
    const { properties = {}, required = [] } = schema
    const present = Object.entries(properties).filter(([, field]) => 'default' in field && !field['x-unset'])
    return this.#objectType({ ...schema, required: [...required, ...present.map(([key]) => key)] }, '')
  }

  #schema(name: string): Schema {
    const schema = this.#schemas.get(name)
    if (!schema) throw new Error(`The contracts export no schema ${name}`)
    return schema
  }

  #schemaAt(path: string): Schema {
    const [name = '', ...keys] = path.split('.')
    // biome-ignore lint/suspicious/noExplicitAny: the path decides
    return keys.reduce<any>((schema, key) => schema[key], this.#schema(name))
  }
}

/** The name of the schema that a type is derived from: `X` for `type T = Static<typeof X>`. */
const staticOf = ({ text }: Declaration): string | undefined => /^type \w+ = Static<typeof (\w+)>$/.exec(text)?.[1]

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The ids of the members of a union, or an empty text. */
const memberNames = ({ anyOf = [] }: Schema): string => (anyOf.every(({ $id }) => $id !== undefined) ? anyOf.map(({ $id }) => $id).join() : '')

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value))

function union(types: readonly string[]): string {
  const members = [...new Set(types)]
  return members.includes('unknown') ? 'unknown' : members.join(' | ')
}

const propertyName = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key))
