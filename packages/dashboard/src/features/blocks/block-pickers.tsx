import { useQuery } from '@tanstack/react-query'
import { blockCapabilitiesQuery, blockTypesQuery } from '../../api/blocks.ts'
import { Picker } from '../../ui/picker.tsx'

interface PickProps {
  readonly chosen: readonly string[]
  onChange(chosen: string[]): void
}

export function BlockTypePicker(props: PickProps) {
  const { data } = useQuery(blockTypesQuery({ limit: 200 }))
  return <Picker label="Type" options={data?.map(({ slug, name }) => ({ value: slug, label: name }))} {...props} />
}

/** Capabilities of blocks, such as `notify` or `read-path`. */
export function CapabilityPicker(props: PickProps) {
  const { data } = useQuery(blockCapabilitiesQuery())
  return <Picker label="Capability" options={data?.map((capability) => ({ value: capability, label: capability }))} {...props} />
}
