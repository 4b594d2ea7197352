import { Deleted, DeletePreview, Preview, PreviewPage, PreviewParams, PreviewQuery } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { PREVIEW } from './examples.ts';

const tag = 'previews';
const example = { params: { name: PREVIEW } };

/** Preview environments of pull and merge requests (facts 4.9, 7.7). */
export const PREVIEW_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/previews',
    id: 'listPreviews',
    tag,
    summary: 'Preview environments I can see',
    needs: { all: ['deployments:read'] },
    query: PreviewQuery,
    answer: PreviewPage,
    example: { query: { project: 'acme' } },
    operation: (operations) => operations.previews.list,
  }),
  route({
    method: 'get',
    path: '/previews/{name}',
    id: 'getPreview',
    tag,
    summary: 'One preview environment, where it is and until when',
    needs: { all: ['deployments:read'] },
    params: PreviewParams,
    answer: Preview,
    example,
    operation: (operations) => operations.previews.show,
  }),
  route({
    method: 'delete',
    path: '/previews/{name}',
    id: 'deletePreview',
    tag,
    summary: 'Take a preview environment down with its volumes; its head gets no other',
    needs: { all: ['deployments:write'] },
    params: PreviewParams,
    body: DeletePreview,
    answer: Deleted,
    example: { ...example, body: { confirmation: PREVIEW } },
    operation: (operations) => operations.previews.remove,
  }),
];
