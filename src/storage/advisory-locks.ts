/**
 * The numbers of all advisory locks in the database of the service, so that no two purposes share one. A release that changes a number does not exclude
 * nodes of the release before it.
 */
export const ADVISORY_LOCKS = {
  migration: 7_303_001,
  rowCounts: 7_303_002,
  demo: 7_303_003,
  analytics: 7_303_004,
  /** With a hash of the store as its second key. */
  quota: 7_303_017,
} as const
