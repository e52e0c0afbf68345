# Run in this folder: gnuplot dhfr_sampling.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dhfr_sampling.svg'
set multiplot layout 1,2
set title 'Energies at beta = 1'
set yrange [0:0.04]
set xtics 40
set xlabel 'energy H'
set ylabel 'density'
set key top right font ',11'
plot 'dhfr_sampling_energies.csv' using 1:2 with lines lw 2 dt 1 lc rgb '#000000' title 'natural sequences', \
     'dhfr_sampling_energies.csv' using 1:3 with lines lw 2 dt 1 lc rgb '#08306b' title 'exchange, natural starts', \
     'dhfr_sampling_energies.csv' using 1:4 with lines lw 2 dt 1 lc rgb '#e6740b' title 'exchange, random starts', \
     'dhfr_sampling_energies.csv' using 1:5 with lines lw 2 dt 2 lc rgb '#08306b' title 'chains, natural starts', \
     'dhfr_sampling_energies.csv' using 1:6 with lines lw 2 dt 2 lc rgb '#e6740b' title 'chains, random starts'
set title 'Samples of replica exchange and the data'
set xlabel 'inverse temperature beta'
set ylabel 'no unit'
set key top right
set yrange [0:1.2]
set xtics 0.2
plot 'dhfr_sampling_default.csv' using 'beta':'c_ij' with linespoints ls 1 title 'C_{ij}: Pearson', \
     '' using 'beta':'slope' with linespoints ls 2 title 'C_{ij}: slope', \
     '' using 'beta':'distance_natural' with linespoints lc rgb '#21918c' lw 2 pt 9 title 'mean distance', \
     0.6621 with lines ls 3 title 'mean distance, data'
unset multiplot
unset output
set terminal pngcairo size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dhfr_sampling.png'
set multiplot layout 1,2
set title 'Energies at beta = 1'
set yrange [0:0.04]
set xtics 40
set xlabel 'energy H'
set ylabel 'density'
set key top right font ',11'
plot 'dhfr_sampling_energies.csv' using 1:2 with lines lw 2 dt 1 lc rgb '#000000' title 'natural sequences', \
     'dhfr_sampling_energies.csv' using 1:3 with lines lw 2 dt 1 lc rgb '#08306b' title 'exchange, natural starts', \
     'dhfr_sampling_energies.csv' using 1:4 with lines lw 2 dt 1 lc rgb '#e6740b' title 'exchange, random starts', \
     'dhfr_sampling_energies.csv' using 1:5 with lines lw 2 dt 2 lc rgb '#08306b' title 'chains, natural starts', \
     'dhfr_sampling_energies.csv' using 1:6 with lines lw 2 dt 2 lc rgb '#e6740b' title 'chains, random starts'
set title 'Samples of replica exchange and the data'
set xlabel 'inverse temperature beta'
set ylabel 'no unit'
set key top right
set yrange [0:1.2]
set xtics 0.2
plot 'dhfr_sampling_default.csv' using 'beta':'c_ij' with linespoints ls 1 title 'C_{ij}: Pearson', \
     '' using 'beta':'slope' with linespoints ls 2 title 'C_{ij}: slope', \
     '' using 'beta':'distance_natural' with linespoints lc rgb '#21918c' lw 2 pt 9 title 'mean distance', \
     0.6621 with lines ls 3 title 'mean distance, data'
unset multiplot
unset output
