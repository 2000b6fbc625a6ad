import type { Component } from './package-components.ts'

export interface SbomInput {
  readonly version: string
  /** SHA-256 of the tarball in hexadecimal. */
  readonly sha256: string
  /** RFC 3339. */
  readonly timestamp: string
  readonly components: readonly Component[]
  /** Versions of dependencies that npm installs beside the package. */
  readonly optionalDependencies: Readonly<Record<string, string>>
  /** Hashes of package-lock.json, by the path of the package. */
  readonly integrities: Readonly<Record<string, string | undefined>>
}

interface SbomComponent {
  readonly type: 'application' | 'library'
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly scope?: 'required' | 'optional'
  readonly hashes?: readonly { alg: string; content: string }[]
  readonly licenses: readonly ({ license: { id: string } } | { expression: string })[]
  readonly purl: string
}

/**
 * The software bill of materials of the tarball in the format CycloneDX 1.6. It lists what the bundles contain, which `npm sbom` does not know. The
 * same tarball gives the same text.
 */
export function sbom({ version, sha256, timestamp, components, optionalDependencies, integrities }: SbomInput) {
  const own: SbomComponent = {
    ...describe('millrace', version, 'Apache-2.0'),
    type: 'application',
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
  const bundled = components.map(
    ({ name, version, license, folder }): SbomComponent => ({
      ...describe(name, version, license),
      scope: 'required',
      ...hashes(integrities[folder]),
    }),
  )
  const optional = Object.entries(optionalDependencies).map(
    ([name, version]): SbomComponent => ({ ...describe(name, version, 'MIT'), scope: 'optional', ...hashes(integrities[`node_modules/${name}`]) }),
  )
  const parts = [...bundled, ...optional]
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(sha256)}`,
    version: 1,
    metadata: { timestamp, component: own },
    components: parts,
    dependencies: [
      { ref: own['bom-ref'], dependsOn: parts.map((part) => part['bom-ref']) },
      ...parts.map((part) => ({ ref: part['bom-ref'], dependsOn: [] as string[] })),
    ],
  }
}

function describe(fullName: string, version: string, license: string): SbomComponent {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(fullName) as unknown as [string, string | undefined, string]
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${name}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name,
    version,
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  }
}

/** `sha512-BASE64`, as npm writes it. */
function hashes(integrity: string | undefined): Pick<SbomComponent, 'hashes'> {
  if (!integrity?.startsWith('sha512-')) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }] }
}

/** A UUID of version 8 from the first bits of a hash. */
function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(18, 20)}-${hash.slice(20, 32)}`
}
