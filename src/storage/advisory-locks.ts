/**
 * The keys of all advisory locks in the service's database, in one place so that no two purposes share one. A changed
 * key would not exclude nodes of the previous release.
 */
export const ADVISORY_LOCKS = {
  migration: 7_303_001,
  rowCounts: 7_303_002,
  demo: 7_303_003,
  analytics: 7_303_004,
  /** With a hash of the store as its second key. */
  quota: 7_303_017,
} as const
