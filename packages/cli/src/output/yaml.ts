import { stringify } from 'yaml'

/** YAML of a value of the API. */
export const toYaml = (value: unknown): string => stringify(value, { lineWidth: 120, aliasDuplicateObjects: false })
