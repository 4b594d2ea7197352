import type { z } from 'zod';

export type Column = readonly [name: string, type: 'string' | 'integer' | 'date', jsonPath: string, priority?: 1];
export type Rule = { readonly rule: string; readonly message: string };

/** What makes one custom resource definition. */
export type Definition = {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly Column[];
  /** CEL rules of the whole object, and of its specification. */
  readonly rootRules: readonly Rule[];
  readonly specRules: readonly Rule[];
  /** Fields a list may be narrowed by. */
  readonly selectable: readonly string[];
};

export const READY: Column = ['Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'];
export const AGE: Column = ['Age', 'date', '.metadata.creationTimestamp'];
