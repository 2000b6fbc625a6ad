import type { Row } from '../storage/tables.ts'

/**
 * The artifacts of the results that flow runs keep: one for each new state with data, without type and key, as in the reference. The data names where a result is
 * stored, so that it can be found by its flow run. A result of type `unpersisted` is not part of a state's row.
 */
export const resultArtifacts = (newId: () => string, states: readonly Row<'flow_run_state'>[]): Row<'artifact'>[] =>
  states.flatMap(({ data, timestamp, flow_run_id }) =>
    data === null
      ? []
      : [
          {
            id: newId(),
            created: timestamp,
            updated: timestamp,
            key: null,
            type: null,
            description: null,
            data,
            metadata_: null,
            flow_run_id,
            task_run_id: null,
          },
        ],
  )
