/** Problems of a CycloneDX document: what its JSON schema requires of the parts that Millrace writes, and references without a target. */
export function sbomProblems(bom: unknown): string[] {
  const problems: string[] = []
  const need = (isMet: boolean, problem: string) => void (isMet || problems.push(problem))
  const document = asRecord(bom)
  need(document.bomFormat === 'CycloneDX', 'bomFormat is not CycloneDX')
  need(document.specVersion === '1.6', 'specVersion is not 1.6')
  need(Number.isInteger(document.version) && (document.version as number) >= 1, 'version is not a positive integer')
  need(matches(document.serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/), 'serialNumber is not a UUID')
  const { timestamp, component } = asRecord(document.metadata)
  need(matches(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), 'metadata.timestamp is not a time')
  const components = [asRecord(component), ...asArray(document.components).map(asRecord)]
  for (const each of components) problems.push(...componentProblems(each))
  const references = components.map((each) => each['bom-ref'])
  need(new Set(references).size === references.length, 'a bom-ref occurs twice')
  for (const { ref, dependsOn } of asArray(document.dependencies).map(asRecord)) {
    for (const target of [ref, ...asArray(dependsOn)]) need(references.includes(target), `dependencies: no component ${target}`)
  }
  return problems
}

const hashLengths: Readonly<Record<string, number>> = { 'SHA-256': 64, 'SHA-512': 128 }

function componentProblems(component: Record<string, unknown>): string[] {
  const name = String(component['bom-ref'])
  const problems: string[] = []
  const need = (isMet: boolean, problem: string) => void (isMet || problems.push(`${name}: ${problem}`))
  need(['application', 'library'].includes(String(component.type)), 'unknown type')
  need(matches(component.name, /^[^/\s]+$/), 'no name')
  need(matches(component.version, /^\d+\.\d+\.\d+/), 'no version')
  need(matches(component.purl, /^pkg:npm\/(%40[^/]+\/)?[^/@]+@\S+$/), 'no package URL')
  need([undefined, 'required', 'optional'].includes(component.scope as string | undefined), 'unknown scope')
  const licenses = asArray(component.licenses).map(asRecord)
  need(licenses.length > 0, 'no licence')
  need(
    licenses.every(({ license, expression }) => matches(asRecord(license).id ?? expression, /^[\w().+ -]+$/)),
    'unknown form of licence',
  )
  for (const { alg, content } of asArray(component.hashes).map(asRecord)) {
    need(matches(content, /^[\da-f]+$/) && String(content).length === hashLengths[String(alg)], `${alg} is not a hash`)
  }
  return problems
}

const matches = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)
const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const asRecord = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {})
