-- dataset_manifests: the signed bytes of a version's manifest.
SELECT body, sha256 FROM dataset_manifests WHERE dataset_id = %(dataset_id)s::bigint;
