import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { type ConfirmName, Name, PageQuery, pageOf, Revision, Timestamp } from './common.ts';

export const Project = z.strictObject({
  id: Name,
  name: Name,
  display_name: z.string(),
  description: z.string(),
  metadata_revision: Revision,
  environments: z.array(z.strictObject({ name: Name })),
  created_at: Timestamp,
});
export type Project = z.infer<typeof Project>;
export const ProjectPage = pageOf(Project);
export const ProjectQuery = z.strictObject(PageQuery);

/** Facts 7.3: idempotent when neither display name nor description is sent. */
export const CreateProject = z.strictObject({
  name: Name,
  environment: Name.meta({ description: 'its first environment' }),
  display_name: z.string().trim().min(1).max(80).optional(),
  description: z.string().max(1000).optional(),
});
export type CreateProject = z.infer<typeof CreateProject>;
export const CreateEnvironment = z.strictObject({ name: Name });
export const ProjectParams = z.strictObject({ project: Name });
export const EnvironmentParams = z.strictObject({ project: Name, environment: Name });
export const Deleted = z.strictObject({ status: z.literal('deleted') });
export type Deleted = z.infer<typeof Deleted>;

type Confirm = z.infer<typeof ConfirmName>;

/** Projects and their environments. Deleting needs the name again and works on what is empty only. */
export interface ProjectOperations {
  list: Operation<PageInput, Page<Project>>;
  create: Operation<CreateProject, Project>;
  addEnvironment: Operation<{ readonly project: string; readonly name: string }, Project>;
  remove: Operation<{ readonly project: string } & Confirm, Deleted>;
  removeEnvironment: Operation<{ readonly project: string; readonly environment: string } & Confirm, Deleted>;
}
