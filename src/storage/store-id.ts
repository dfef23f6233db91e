export declare const storeId: unique symbol

/** The id of the store a request may act on. Only the access check makes one, so no query can run without it. */
export type StoreId = string & { [storeId]: true }
