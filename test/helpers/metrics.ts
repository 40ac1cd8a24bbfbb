/** Existing metrics by their source; test/e2e/observability.test.ts checks those of Traefik. */
export const METRICS: Readonly<Record<string, readonly string[]>> = {
  // Metrics that Prometheus adds for each target.
  prometheus: ["up"],
  traefik: [
    "traefik_entrypoint_requests_total",
    "traefik_entrypoint_request_duration_seconds_bucket",
    "traefik_router_requests_total",
    "traefik_service_request_duration_seconds_bucket",
  ],
  // internal/outpost/proxyv2/metrics/metrics.go of authentik.
  authentik: [
    "authentik_outpost_proxy_request_duration_seconds_bucket",
    "authentik_outpost_proxy_request_duration_seconds_count",
  ],
  // src/PostgREST/Metrics.hs.
  postgrest: ["pgrst_db_pool_available", "pgrst_db_pool_waiting", "pgrst_db_pool_max"],
  // config/manager/default-monitoring.yaml of CloudNativePG: pg_replication, backends.
  cloudnativepg: ["cnpg_pg_replication_lag", "cnpg_backends_total"],
  // docs/metrics/workload/job-metrics.md and cronjob-metrics.md of kube-state-metrics.
  kubernetes: ["kube_job_failed", "kube_job_status_start_time", "kube_cronjob_status_last_successful_time"],
  // ops/checks/verify/job.
  verify: [
    "gatehouse_verify_checks",
    "gatehouse_verify_last_run_timestamp_seconds",
    "gatehouse_verify_last_success_timestamp_seconds",
    "gatehouse_certificate_expiry_timestamp_seconds",
    "gatehouse_data_last_ingested_timestamp_seconds",
    "gatehouse_data_next_expected_timestamp_seconds",
  ],
};
